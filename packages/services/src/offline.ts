export * from './offline/activate-for-request.ts'
export * from './offline/offline-texts.ts'
