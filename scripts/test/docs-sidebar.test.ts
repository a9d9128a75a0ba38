import { expect, test } from 'vitest'
import { sidebar } from '../../docs/.vitepress/sidebar.ts'
import { readMarkdownPages } from '../docs/pages.ts'
import { siteAddressOf } from '../docs/site-address.ts'

test('every page of the site is in its sidebar, once', async () => {
  const pages = await readMarkdownPages()
  const written = pages.map(({ file }) => file).filter((file) => /^docs\/|^packages\//u.test(file))
  const addresses = written.map(siteAddressOf).filter((address) => address !== '/')
  const listed = sidebar.flatMap(({ items = [] }) => items.map(({ link }) => link))
  expect(listed.sort()).toEqual(addresses.sort())
})
