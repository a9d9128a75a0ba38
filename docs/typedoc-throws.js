import { Converter } from 'typedoc'

/**
 * TypeDoc takes the type off `@throws {SomeError} when …`, and its Markdown says no more which error it is.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const { comment } of Object.values(project.reflections)) {
      for (const tag of comment?.blockTags ?? []) {
        if (tag.tag !== '@throws' || tag.typeAnnotation === undefined) continue
        const name = tag.typeAnnotation.replace(/[{}]/gu, '')
        tag.content.unshift({ kind: 'code', text: `\`${name}\`` }, { kind: 'text', text: ' ' })
        delete tag.typeAnnotation
      }
    }
  })
}
