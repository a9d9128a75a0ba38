export * from '@latchkey/electron/testing'
