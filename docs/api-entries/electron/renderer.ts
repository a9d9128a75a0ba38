export * from '@latchkey/electron/renderer'
