import { posix } from 'node:path'

/** Returns the page's path on the site, relative to `docs/`. The READMEs become pages of their own. */
export function originOf(sitePage: string): string {
  const readme = /^packages\/([^/]+)\.md$/u.exec(sitePage)?.[1]
  return readme === undefined ? `docs/${sitePage}` : `packages/${readme}/README.md`
}

/** Returns the address of a repository file on the site; `null` if it isn't part of it. */
function siteAddressOf(file: string): string | null {
  // The README starts with the code to add to an app. On the site, the first guide does.
  if (file === 'README.md') return '/start'
  if (file === 'docs/api-entries/index.md') return '/api/'
  // How we decided is for readers of the repository.
  if (file.startsWith('docs/decisions/')) return null
  const readme = /^packages\/([^/]+)(?:\/README\.md)?$/u.exec(file)?.[1]
  if (readme !== undefined) return `/packages/${readme}`
  const asset = /^docs\/public\/(.+)$/u.exec(file)?.[1]
  if (asset !== undefined) return `/${asset}`
  const page = /^docs\/(.+)\.md$/u.exec(file)?.[1]
  return page === undefined ? null : `/${page.replace(/(^|\/)index$/u, '$1')}`
}

/**
 * Returns a link as the site needs it. Pages are written for readers of the repository. Files that aren't part of the
 * site link to the repository.
 *
 * @param origin the page's file, from the repository's root.
 * @param repositoryUrl address of the repository, without a `/` at its end.
 */
export function siteLink(origin: string, href: string, repositoryUrl: string): string {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/iu.test(href)) return href
  const [target = '', hash] = href.split('#', 2)
  const file = posix.join(posix.dirname(origin), decodeURI(target)).replace(/\/$/u, '')
  // That guide has none of the README's headings.
  const address = file === 'README.md' && hash !== undefined ? null : siteAddressOf(file)
  return (address ?? `${repositoryUrl}/blob/main/${file}`) + (hash === undefined ? '' : `#${hash}`)
}
