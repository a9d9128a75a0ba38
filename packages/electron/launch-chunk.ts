import path from 'node:path'
import type { Rolldown } from 'tsdown'

/** The parts of a build that {@link launchChunk} adds. */
interface LaunchChunk {
  readonly plugin: Rolldown.Plugin
  readonly outputOptions: Pick<Rolldown.OutputOptions, 'codeSplitting'>
}

/**
 * Puts everything that an entry loads at once into one file. Otherwise each module that is also used on demand gets its
 * own file, which takes half a millisecond of every launch to find and read.
 */
export function launchChunk(): LaunchChunk {
  const loadedAtOnce = new Set<string>()
  const plugin: Rolldown.Plugin = {
    name: 'latchkey-launch-chunk',
    buildEnd() {
      const add = (id: string): void => {
        if (loadedAtOnce.has(id) || !isOwnCode(id)) return
        loadedAtOnce.add(id)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) add(imported)
      }
      for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry === true) add(id)
    },
  }
  return {
    plugin,
    outputOptions: { codeSplitting: { groups: [{ name: 'launch', test: (id) => loadedAtOnce.has(id) }] } },
  }
}

/**
 * Whether a module is code of this package. Declarations of an entry are bundled beside its code. What other packages
 * export isn't all used; the bundler adds what is.
 */
function isOwnCode(id: string): boolean {
  return id.startsWith(path.join(import.meta.dirname, 'src')) && !/\.d\.[cm]?ts$/u.test(id)
}
