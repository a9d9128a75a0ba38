import { registerHooks } from 'node:module'

/** Makes a process started with `--import` run the packages' sources instead of a possibly stale build. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const name = /^@latchkey\/(commerce|emulator|gateway)$/.exec(specifier)?.[1]
    const source =
      name === undefined ? specifier : new URL(`../../${name}/src/index.ts`, import.meta.url).href
    return nextResolve(source, context)
  },
})
