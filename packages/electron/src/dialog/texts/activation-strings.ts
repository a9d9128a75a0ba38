import type { OfflineProblemCode } from '../../shared/offline-problem.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import type { countedTextNames, offlineTextNames, textNames } from '../../shared/text-names.ts'

/** A text by the plural categories of its language; `other` is in every language. */
export type CountedText = { readonly [Category in Intl.LDMLPluralRule]?: string } & {
  readonly other: string
}

/** Names of the texts without plural forms. */
export type TextKey = (typeof textNames)[number]

/** Names of the texts with plural forms. */
export type CountedKey = (typeof countedTextNames)[number]

/**
 * Every text of the activation window in one language. `{app}`, `{key}`, `{date}`, `{count}`, `{time}`, `{used}` and
 * `{limit}` are placeholders. A text with plural forms is a record by the language's plural categories. A line break
 * separates sentences that each start a new line. To replace a text, pass its name in `window.strings`.
 */
export type ActivationStrings = { readonly [Key in TextKey]: string } & {
  readonly [Key in CountedKey]: CountedText
} & {
  /** One text per problem: what happened and what to do. */
  readonly problems: { readonly [Code in ProblemCode]: string }
}

type NameOf<Key> = Key extends `offline.${infer Name}` ? Name : never

/** The texts of an activation without internet in one language. A line break separates sentences. */
export type OfflineStrings = { readonly [Name in NameOf<(typeof offlineTextNames)[number]>]: string } & {
  /** One text per problem: what happened and what to do. */
  readonly problems: { readonly [Code in OfflineProblemCode]: string }
}
