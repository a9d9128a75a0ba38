import type { MarkdownRenderer } from 'vitepress'
import { originOf, siteLink } from '../../scripts/docs/site-address.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/**
 * Pages are written for whoever reads them in the repository. On the site a link to another page leads to that
 * page; one to a file that is no part of the site becomes its text.
 */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const origin = originOf(env.relativePath)
    for (const token of tokens) {
      if (token.type === 'html_block') token.content = withAddresses(token.content, origin)
      if (token.children !== null) token.children = rewritten(token.children, origin)
    }
  })
}

function rewritten(tokens: readonly Token[], origin: string): Token[] {
  let isDropped = false
  return tokens.filter((token) => {
    if (token.type === 'html_inline') token.content = withAddresses(token.content, origin)
    if (token.type === 'image') token.attrSet('src', siteLink(origin, token.attrGet('src') ?? '') ?? '')
    if (token.type === 'link_close' && isDropped) {
      isDropped = false
      return false
    }
    if (token.type !== 'link_open') return true
    const link = siteLink(origin, token.attrGet('href') ?? '')
    isDropped = link === null
    if (link !== null) token.attrSet('href', link)
    return !isDropped
  })
}

function withAddresses(html: string, origin: string): string {
  return html.replace(
    /(\s(?:src|href)=")([^"]+)"/gu,
    (_match, start: string, target: string) => `${start}${siteLink(origin, target) ?? target}"`,
  )
}
