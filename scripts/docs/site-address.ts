import { posix } from 'node:path'

/** The page's file on the site, from `docs/`, of the file that was written by hand: the READMEs become pages of their own. */
export function originOf(sitePage: string): string {
  const readme = /^packages\/([^/]+)\.md$/u.exec(sitePage)?.[1]
  return readme === undefined ? `docs/${sitePage}` : `packages/${readme}/README.md`
}

/** Where a file of the repository is found on the site; `null` when it is no part of it. */
export function siteAddressOf(file: string): string | null {
  // The README begins with the ten lines: on the site that is the first guide.
  if (file === 'README.md') return '/start'
  const readme = /^packages\/([^/]+)(?:\/README\.md)?$/u.exec(file)?.[1]
  if (readme !== undefined) return `/packages/${readme}`
  const asset = /^docs\/public\/(.+)$/u.exec(file)?.[1]
  if (asset !== undefined) return `/${asset}`
  const page = /^docs\/(.+)\.md$/u.exec(file)?.[1]
  return page === undefined ? null : `/${page.replace(/(^|\/)index$/u, '$1')}`
}

/**
 * The same link for the site: the pages are written for whoever reads them in the repository. What is no part of the
 * site is found where the repository is kept.
 *
 * @param origin the page's file, from the repository's root.
 * @param repositoryUrl address of the repository, without a `/` at its end.
 */
export function siteLink(origin: string, href: string, repositoryUrl: string): string {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/iu.test(href)) return href
  const [target = '', hash] = href.split('#', 2)
  const file = posix.join(posix.dirname(origin), decodeURI(target)).replace(/\/$/u, '')
  // That guide has none of its headings.
  const address = file === 'README.md' && hash !== undefined ? null : siteAddressOf(file)
  return (address ?? `${repositoryUrl}/blob/main/${file}`) + (hash === undefined ? '' : `#${hash}`)
}
