import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Device } from '../../shared/results.ts'
import type { Glance } from '../glance.ts'
import type { Phrasebook } from '../phrasebook.ts'
import type { DeviceList } from '../situation.ts'
import { errorTemplate } from './form-template.ts'
import { submitTemplate } from './submit-template.ts'

/** What the device list tells the element. */
export interface DevicesEvents {
  readonly onChoose: (deviceId: string) => void
  readonly onRelease: (event: SubmitEvent) => void
}

/** The devices of a license, one of which can be chosen and released. */
export function devicesTemplate(
  list: DeviceList,
  { scene, error, chosenId }: Glance,
  phrases: Phrasebook,
  events: DevicesEvents,
): TemplateResult {
  if (list.phase !== 'ready') {
    return html`<p class="status" part="status">
      <span class="spinner" part="spinner"></span> ${phrases.text('loadingDevices')}
    </p>`
  }
  return html`<form part="form" novalidate @submit=${events.onRelease}>
    <fieldset aria-describedby="hint">
      <legend class="unseen">${phrases.text('deviceList')}</legend>
      <div class="devices" part="devices">
        ${list.devices.map((device) => deviceTemplate(device, device.id === chosenId, phrases, events))}
      </div>
      <div id="hint">${error === null ? nothing : errorTemplate(error)}</div>
    </fieldset>
    ${submitTemplate(phrases.text('release'), scene)}
  </form>`
}

function deviceTemplate(
  device: Device,
  isChosen: boolean,
  phrases: Phrasebook,
  { onChoose }: DevicesEvents,
): TemplateResult {
  return html`<label class="device" part="device">
    <input
      type="radio"
      name="device"
      value=${device.id}
      .checked=${isChosen}
      @change=${() => onChoose(device.id)}
    />
    <span>
      <strong><bdi>${device.label}</bdi></strong>
      <small>${phrases.text('activatedOn', { date: phrases.date(device.activatedAt) })}</small>
    </span>
    ${device.isThisDevice ? html`<em part="this-device">${phrases.text('thisDevice')}</em>` : nothing}
  </label>`
}
