/** The process's environment, with what a `.env` file in the working folder adds to it. */
export function readEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return process.env;
}
