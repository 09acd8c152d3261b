import { SERVICES } from './carriers/registry.ts';
import { type Config, readConfig } from './platform/config.ts';

/** The process's environment, with what a `.env` file in the working folder adds to it. */
export function readEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return process.env;
}

/** @throws ConfigError with every fault at once. */
export function configOf(env: NodeJS.ProcessEnv): Config {
  return readConfig(env, SERVICES);
}
