export * from '@latchkey/services/dodo'
