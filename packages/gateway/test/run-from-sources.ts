import { registerHooks } from 'node:module'

/** Lets a process started with `--import` run the packages' sources, so that no stale build passes for the code at hand. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const name = /^@latchkey\/(commerce|emulator|gateway)$/.exec(specifier)?.[1]
    const source =
      name === undefined ? specifier : new URL(`../../${name}/src/index.ts`, import.meta.url).href
    return nextResolve(source, context)
  },
})
