import { exposeLicensing } from './expose-licensing.ts'

exposeLicensing()
