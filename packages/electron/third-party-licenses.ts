import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'tsdown'

/**
 * Writes the licenses of all packages that ended up inside a bundle into a file beside it: they ask for their notice
 * in every copy.
 *
 * @throws Error when a package has no license file
 */
export function thirdPartyLicenses(fileName: string): Rolldown.Plugin {
  return {
    name: 'latchkey-third-party-licenses',
    generateBundle(_options, bundle) {
      const folders = new Set<string>()
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue
        for (const id of output.moduleIds) {
          const folder = packageFolder(id)
          if (folder !== undefined) folders.add(folder)
        }
      }
      // Declarations are a build of their own, with nothing in it that runs.
      if (folders.size === 0) return
      const notices = [...folders].map(noticeOf).sort()
      this.emitFile({ type: 'asset', fileName, source: `${notices.join(`\n${'-'.repeat(80)}\n\n`)}` })
    },
  }
}

/** The innermost installed package a module belongs to; none for this repository's own modules. */
function packageFolder(id: string): string | undefined {
  return /^(?:\0)?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/u.exec(id)?.[1]
}

function noticeOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(?:license|licence|copying)(?:\.\w+)?$/iu.test(entry))
  if (file === undefined) {
    throw new Error(`${name} has no license file: it cannot be put into a bundle.`)
  }
  return `${name} ${version}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}
