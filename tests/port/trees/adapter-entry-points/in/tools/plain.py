import math

print(math.pi)

if __name__ == "__main__":
    pass
