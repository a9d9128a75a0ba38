export { exposeLicensing } from './expose-licensing.ts'
