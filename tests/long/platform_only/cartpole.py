"""stable-baselines3 learns a little, on the device that it chooses by itself."""

import stable_baselines3

model = stable_baselines3.PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=1, seed=3)
model.learn(128)
print(stable_baselines3.common.utils.get_device("auto"))
