export * from '@latchkey/emulator'
