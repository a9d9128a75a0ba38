const inherited = ['HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_COMPILE_CACHE']

/** The variables that a started program needs, so that the other settings of this machine have no effect on it. */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    inherited.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
