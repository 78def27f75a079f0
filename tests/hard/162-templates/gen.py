from string import Template

KERNEL = Template("extern \"C\" __global__ void $name(float* x) { x[threadIdx.x] = 0; }")
open("gen.cu", "w").write(KERNEL.substitute(name=n))
