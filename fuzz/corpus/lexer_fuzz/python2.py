print `cuda`, ur"cuda"
exec "cuda" in d
except cuda, e: x <> 0777L
raise E, "cuda"
