import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type MarkdownPage, readMarkdownPages } from '../docs/markdown-pages.ts'
import { parsePage } from '../docs/parse-page.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const pages = (await readMarkdownPages()).map(parsePage)
const byFile = new Map(pages.map((page) => [page.file, page]))

/** What is wrong with a link. `null` if its target exists or is another site. */
function whyBroken(file: string, link: string): string | null {
  if (/^[a-z][a-z+.-]*:/iu.test(link)) return null
  const [target = '', anchor] = link.split('#', 2)
  // The home page of the site links to pages by their address.
  const isAddress = target.startsWith('/')
  const path_ = isAddress ? `docs${target}` : path.posix.join(path.posix.dirname(file), decodeURI(target))
  const found = target === '' ? file : path_.replace(/\/$/u, '')
  const page = byFile.get(found) ?? byFile.get(`${found}/README.md`) ?? byFile.get(`${found}.md`)
  if (page === undefined && !existsSync(path.join(repositoryRoot, found))) return `${link}: no such file`
  if (anchor === undefined) return null
  return page?.anchors.has(decodeURIComponent(anchor)) ? null : `${link}: no such heading`
}

test.each(pages.map(({ file }) => file))('every link and anchor of %s exists', (file) => {
  const broken = (byFile.get(file)?.links ?? []).flatMap((link) => whyBroken(file, link) ?? [])
  expect(broken).toEqual([])
})

describe('a page', () => {
  const parse = (text: string, file = 'docs/page.md') => parsePage({ file, text } satisfies MarkdownPage)

  test('has the anchors that GitHub gives its headings', () => {
    const { anchors } = parse(
      '# One `state.entitled`!\n\n## Two, & three\n\n## Two, & three\n\n<a id="own"></a>\n',
    )
    expect([...anchors]).toEqual(['one-stateentitled', 'two--three', 'two--three-1', 'own'])
  })

  test('is searched for links in tables, lists and HTML, but not in code', () => {
    const text =
      '| [a](a.md) |\n| --- |\n| ![b](b.png) |\n\n- <img src="c.png">\n\n`[d](d.md)`\n\n```ts\n[e](e.md)\n```\n'
    expect(parse(text).links).toEqual(['a.md', 'b.png', 'c.png'])
  })

  test('keeps the text after a block’s language, and removes its file name', () => {
    const { blocks } = parse(
      '```sh illustration\nnpm install\n```\n\n- ```ts\n  // src/a.ts\n  export {}\n  ```\n\n```json a.json\n{}\n```\n',
    )
    expect(blocks).toMatchObject([
      { language: 'sh', note: 'illustration', fileName: null, code: 'npm install\n' },
      { language: 'ts', note: '', fileName: 'src/a.ts', code: 'export {}\n' },
      { language: 'json', fileName: 'a.json', code: '{}\n' },
    ])
  })
})
