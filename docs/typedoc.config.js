import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Converter } from 'typedoc'

/** The import path of an entry point: each file of api-entries re-exports one group of symbols of one module. */
function importPathOf(name) {
  const entry = readFileSync(path.join(import.meta.dirname, 'api-entries', `${name}.ts`), 'utf8')
  return /from '([^']+)'/u.exec(entry)?.[1] ?? name
}

/** The title of a page: its import path, and what of it the page is about if that isn't all. */
function titleOf({ name }) {
  const importPath = importPathOf(name)
  return importPath.endsWith(`/${name}`)
    ? importPath
    : `${importPath}: ${path.basename(name).replaceAll('-', ' ')}`
}

/**
 * TypeDoc takes the type off `@throws {SomeError} when …`, and its Markdown says no more which error it is.
 *
 * @param {import('typedoc').CommentDisplayPart[]} reflections
 */
function nameThrownErrors(reflections) {
  for (const { comment } of reflections) {
    for (const tag of comment?.blockTags ?? []) {
      if (tag.tag !== '@throws' || tag.typeAnnotation === undefined) continue
      const name = tag.typeAnnotation.replace(/[{}]/gu, '')
      tag.content.unshift({ kind: 'code', text: `\`${name}\`` }, { kind: 'text', text: ' ' })
      delete tag.typeAnnotation
    }
  }
}

/** @type {import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions} */
export default {
  tsconfig: 'tsconfig.api.json',
  entryPoints: [
    'api-entries/electron/main/*.ts',
    'api-entries/electron/preload.ts',
    'api-entries/electron/renderer/*.ts',
    'api-entries/electron/dialog.ts',
    'api-entries/electron/updates.ts',
    'api-entries/electron/testing/*.ts',
    'api-entries/services/*.ts',
    'api-entries/gateway/*.ts',
    'api-entries/commerce/*.ts',
    'api-entries/emulator/*.ts',
  ],
  plugin: [
    'typedoc-plugin-markdown',
    (app) => {
      app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
        const reflections = Object.values(project.reflections)
        nameThrownErrors(reflections)
        // Otherwise the page of a fake repeats all that it imitates.
        for (const reflection of reflections) {
          if (reflection.inheritedFrom !== undefined) project.removeReflection(reflection)
        }
      })
    },
  ],
  out: 'api',
  readme: 'api-entries/index.md',
  router: 'module',
  entryFileName: 'index',
  disableSources: true,
  excludePrivate: true,
  excludeExternals: true,
  excludeProtected: true,
  skipErrorChecking: true,
  hideGenerator: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  // Members stay in the order of the source: what a reader looks for first comes first.
  sort: ['source-order'],
  groupOrder: ['Functions', 'Interfaces', 'Type Aliases', 'Variables', 'Classes', '*'],
  hideGroupHeadings: true,
  pageTitleTemplates: { index: 'API reference', module: titleOf },
  blockTags: [
    '@module',
    '@param',
    '@returns',
    '@throws',
    '@default',
    '@example',
    '@typeParam',
    '@fires',
    '@see',
  ],
  preservedTypeAnnotationTags: ['@throws'],
  logLevel: 'Warn',
  treatWarningsAsErrors: true,
  sanitizeComments: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true },
  useCodeBlocks: true,
  useHTMLAnchors: true,
}
