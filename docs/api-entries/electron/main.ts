export * from '@latchkey/electron/main'
