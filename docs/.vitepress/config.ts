import { slug } from 'github-slugger'
import { type DefaultTheme, defineConfig, type UserConfig } from 'vitepress'
import { repositoryLinks } from './repository-links.ts'
import { sidebar } from './sidebar.ts'

const config: UserConfig<DefaultTheme.Config> = defineConfig({
  title: 'Latchkey',
  description: 'License activation for paid Electron apps.',
  lang: 'en',
  lastUpdated: false,
  // The packages' READMEs become pages of their own; see scripts/site.ts.
  srcExclude: ['api-entries/**', 'decisions/**', 'test-output/**', 'node_modules/**'],
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark' },
    // As on GitHub, so that links work in both places.
    anchor: { slugify: slug },
    config: repositoryLinks,
  },
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath.startsWith('api/')) Object.assign(frontmatter, { pageClass: 'api', outline: 2 })
  },
  themeConfig: {
    logo: '/icon.svg',
    search: {
      provider: 'local',
      // The guide comes first. Otherwise the many short sections of the API reference fill the list.
      options: {
        miniSearch: {
          searchOptions: {
            boostDocument: (id) => (/^\/(?:api|benchmarks)\b/u.test(id) ? 0.25 : 1),
          },
        },
      },
    },
    nav: [
      { text: 'Guide', link: '/start' },
      { text: 'Reference', link: '/problem-codes' },
      { text: 'API', link: '/api/' },
    ],
    sidebar,
    outline: [2, 3],
    footer: {
      message:
        'MIT License · <a href="/glossary">Glossary</a> · <a href="/comparison">Comparison</a> · <a href="/for-administrators">Administrators</a> · <a href="/for-customers">For customers</a> · <a href="/support-desk">Support desk</a>',
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})

export default config
