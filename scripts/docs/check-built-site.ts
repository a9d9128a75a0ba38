import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'

/** The result of checking a built site. */
export interface SiteCheck {
  readonly pages: number
  /** The number of links followed. */
  readonly links: number
  /** A line for each broken link and each page that loads something from another site. */
  readonly findings: readonly string[]
}

interface BuiltPage {
  readonly ids: ReadonlySet<string>
  readonly links: readonly string[]
  readonly loads: readonly string[]
}

/** Follows every internal link and anchor of a built site. Links to other sites aren't checked. */
export async function checkBuiltSite(folder: string): Promise<SiteCheck> {
  const files: string[] = []
  for await (const file of glob('**/*', { cwd: folder })) files.push(file.replaceAll(path.sep, '/'))
  const present = new Set(files)
  const pages = new Map<string, BuiltPage>()
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    pages.set(file, readBuiltPage(await readFile(path.join(folder, file), 'utf8')))
  }

  const findings: string[] = []
  let links = 0
  for (const [file, page] of pages) {
    for (const address of page.loads) {
      if (/^(?:https?:)?\/\//u.test(address)) findings.push(`${file}: loads ${address}`)
    }
    // The 404 page is shown at any address.
    if (file === '404.html') continue
    for (const link of new Set(page.links)) {
      if (/^(?:[a-z][a-z+.-]*:|\/\/)/iu.test(link)) continue
      links += 1
      const url = new URL(link, `http://site/${file}`)
      const target = fileOf(decodeURIComponent(url.pathname), present)
      if (target === null) findings.push(`${file}: ${link} leads to no file`)
      else if (url.hash !== '' && !pages.get(target)?.ids.has(decodeURIComponent(url.hash.slice(1)))) {
        findings.push(`${file}: ${link} leads to no heading`)
      }
    }
  }
  return { pages: pages.size, links, findings: findings.sort() }
}

function fileOf(pathname: string, present: ReadonlySet<string>): string | null {
  const file = pathname.slice(1)
  const candidates = [file, `${file}.html`, file === '' || file.endsWith('/') ? `${file}index.html` : '']
  return candidates.find((candidate) => present.has(candidate)) ?? null
}

function readBuiltPage(html: string): BuiltPage {
  const found = (pattern: RegExp) => Array.from(html.matchAll(pattern), ([, value = '']) => unescaped(value))
  return {
    ids: new Set(found(/\sid="([^"]*)"/gu)),
    links: [...found(/<a\b[^>]*?\shref="([^"]*)"/gu), ...found(/<img\b[^>]*?\ssrc="([^"]*)"/gu)],
    loads: [
      ...found(/<(?:link|use)\b[^>]*?\shref="([^"]*)"/gu),
      ...found(/<[a-z-]+\b[^>]*?\ssrc="([^"]*)"/gu),
    ],
  }
}

function unescaped(value: string): string {
  return value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
}
