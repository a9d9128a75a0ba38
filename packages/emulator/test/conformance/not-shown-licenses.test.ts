import { expect } from 'vitest'
import { dialects } from '../../src/index.ts'
import {
  activate,
  type Behaviour,
  deactivate,
  describeNotShown,
  error,
  fullLicense,
  inDialect,
  keyId,
  validate,
} from './not-shown-suite.ts'

describeNotShown({
  'other values of a license status': ['SUSPENDED', 'Inactive', ''].map((status) => ({
    behavior: `a status of "${status}"`,
    arrange: ({ control, demoLicense }) => void control.updateLicense(demoLicense.id, { status }),
    act: validate,
    gives: { license: { status } },
  })),
  'transitions of a license status': [
    {
      behavior: 'a suspended license stays ACTIVE',
      arrange: ({ control, demoLicense }) => void control.suspend(demoLicense.id),
      act: validate,
      gives: { license: { status: 'ACTIVE', suspended_at: expect.any(String) } },
    },
    {
      behavior: 'a suspended license changes its status',
      arrange: (running) => {
        inDialect({ shownStatus: { suspended: 'SUSPENDED', expired: 'EXPIRED' } })(running)
        running.control.suspend(running.demoLicense.id)
      },
      act: validate,
      gives: { license: { status: 'SUSPENDED', suspended_at: expect.any(String) } },
    },
  ],
  'validation of a suspended or expired license': [
    {
      behavior: 'is a success with the license’s fields',
      arrange: ({ control, demoLicense }) => void control.expire(demoLicense.id),
      act: validate,
      gives: { license: { status: 'ACTIVE', expires_at: expect.any(String) } },
    },
    {
      behavior: 'is refused with 400',
      arrange: ({ control, demoLicense }) => {
        control.useDialect('plain')
        control.expire(demoLicense.id)
      },
      act: validate,
      gives: error('rejected', { status: 400, bodyIsJson: false }),
    },
    {
      behavior: 'is refused with 403',
      arrange: ({ control, demoLicense }) => {
        control.useDialect('strict')
        control.suspend(demoLicense.id)
      },
      act: validate,
      gives: error('unauthorized', { status: 403, bodyIsJson: true }),
    },
  ],
  'a license without end': [
    {
      behavior: 'expires_at is a distant date',
      arrange: ({ control, demoLicense }) =>
        void control.updateLicense(demoLicense.id, { expires_at: '9999-12-31' }),
      act: validate,
      gives: { license: { expires_at: '9999-12-31T00:00:00.000000Z' } },
    },
    {
      behavior: 'expires_at is null',
      arrange: ({ control, demoLicense }) => void control.updateLicense(demoLicense.id, { expires_at: null }),
      act: validate,
      gives: { license: { expires_at: null } },
    },
  ],
  'the response for an invalid key on validation': [
    ...[400, 404, 410, 422].map(
      (invalidKeyStatus): Behaviour => ({
        behavior: `${invalidKeyStatus} with JSON`,
        arrange: (running) => {
          inDialect({ validation: { ...dialects.default.validation, invalidKeyStatus } })(running)
          running.control.removeKey(running.demoLicense.id, keyId)
        },
        act: validate,
        gives: error([404, 410].includes(invalidKeyStatus) ? 'not-found' : 'rejected', { bodyIsJson: true }),
      }),
    ),
    {
      behavior: 'a success whose body says no',
      arrange: ({ control }) => {
        control.faults.inject({ fault: 'missing-fields', fields: ['license', 'key'] })
      },
      act: validate,
      gives: error('unexpected-answer', { field: 'license' }),
    },
  ],
  'deactivation of a key that is gone': (['answer', 'refuse'] as const).map((removedKey) => ({
    behavior: removedKey === 'answer' ? 'is a success again' : 'is refused',
    arrange: (running) => {
      inDialect({ deactivation: { removedKey } })(running)
      running.control.removeKey(running.demoLicense.id, keyId)
    },
    act: deactivate,
    gives: removedKey === 'answer' ? { message: expect.any(String) } : error('not-found', { status: 404 }),
  })),
  'what happens when the activation limit is reached': [
    {
      behavior: 'it is refused with 422',
      arrange: fullLicense,
      act: activate,
      gives: error('rejected', { status: 422 }),
    },
    {
      behavior: 'it is refused with 409',
      arrange: (running) => {
        running.control.useDialect('strict')
        fullLicense(running)
      },
      act: activate,
      gives: error('rejected', { status: 409 }),
    },
    {
      behavior: 'the oldest key is removed',
      arrange: (running) => {
        fullLicense(running)
        running.control.removeKey(running.demoLicense.id, keyId)
      },
      act: activate,
      gives: { license: { activation_usage: 1 }, key: { name: 'Phone' } },
    },
  ],
})
