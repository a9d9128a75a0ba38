export * from '@latchkey/electron/dialog'
