import { createLicensing } from '@latchkey/electron/main'
import { app } from 'electron'

// The service during development and tests. A packaged app ignores its environment.
const development = process.env['NOTES_LICENSE_SERVICE'] ?? 'http://127.0.0.1:4010/v1'

export const licensing = createLicensing({
  appId: 'com.example.notes',
  service: { baseUrl: app.isPackaged ? 'https://licensing.example.com/v1' : development },
})
