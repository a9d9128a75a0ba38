// App and gateway read the names of keys by the same functions.
export { composeKeyName, type KeyName, parseKeyName } from '@latchkey/commerce'
