export * from '@latchkey/electron/preload'
