x = f"{f"{cuda!r:>{w}}"}" rb"cu\"da"
y = t"""{cuda
}"""match x:
	case "cuda": type T[U] = cuda
