import ray

ray.init(num_gpus=8)


@ray.remote(num_gpus=1)
def work():
    pass
