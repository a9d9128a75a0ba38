/**
 * Returns the environment if Node takes the proxy from it, which you turn on with `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`.
 * Node itself applies it to `fetch` and to its own agents only.
 */
export function proxyEnvironment(): NodeJS.ProcessEnv | undefined {
  const { env, execArgv } = process
  const options = [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/u)]
  return env['NODE_USE_ENV_PROXY'] === '1' || options.includes('--use-env-proxy') ? env : undefined
}
