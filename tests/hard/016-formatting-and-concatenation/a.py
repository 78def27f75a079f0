a = "cuda:%d" % i
b = "cuda:{}".format(i)
c = "cuda" + ":" + str(i)
d = ":".join(["cuda", str(i)])
