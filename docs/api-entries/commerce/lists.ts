export type {
  ListOptions,
  Page,
  PagedList,
  PageLinks,
  PageMeta,
  PageMetaLink,
  WalkOptions,
  WalkProgress,
} from '@latchkey/commerce'
