import tensorflow as tf

g = g.to('gpu')
with tf.device('/GPU:0'):
    run(g)
