package enum RunnerModule {}
