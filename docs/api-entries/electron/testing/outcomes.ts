export type { FakeOutcomes } from '@latchkey/electron/testing'
