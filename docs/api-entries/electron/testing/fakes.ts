export {
  createFakeClient,
  createFakeLicensing,
  type FakeCall,
  type FakeClient,
  type FakeControls,
  type FakeLicensing,
  type FakeVerb,
} from '@latchkey/electron/testing'
