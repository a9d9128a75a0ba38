export * from '@latchkey/electron/updates'
