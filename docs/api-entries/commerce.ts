export * from '@latchkey/commerce'
