import type { MarkdownRenderer } from 'vitepress'
import electronPackage from '../../packages/electron/package.json' with { type: 'json' }
import { originOf, siteLink } from '../../scripts/docs/site-address.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

const repositoryUrl = electronPackage.repository.url.replace(/^git\+|\.git$/gu, '')

/** Pages are written for readers of the repository. On the site, their links have other targets. */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const rewrite = (target: string): string => siteLink(originOf(env.relativePath), target, repositoryUrl)
    for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
      rewriteToken(token, rewrite)
    }
  })
}

function rewriteToken(token: Token, rewrite: (target: string) => string): void {
  if (token.type === 'link_open') token.attrSet('href', rewrite(token.attrGet('href') ?? ''))
  if (token.type === 'image') token.attrSet('src', rewrite(token.attrGet('src') ?? ''))
  if (token.type === 'html_block' || token.type === 'html_inline') {
    token.content = token.content.replace(
      /(\s(?:src|href)=")([^"]+)"/gu,
      (_match, start: string, target: string) => `${start}${rewrite(target)}"`,
    )
  }
}
