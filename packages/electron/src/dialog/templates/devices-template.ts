import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Device } from '../../shared/results.ts'
import type { ScreenFrame } from '../screen-frame.ts'
import type { DeviceList } from '../situation.ts'
import type { Translator } from '../translator.ts'
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
  { scene, error, chosenId }: ScreenFrame,
  translator: Translator,
  events: DevicesEvents,
): TemplateResult {
  if (list.phase !== 'ready') {
    return html`<p class="status" part="status">
      <span class="spinner" part="spinner"></span> ${translator.text('loadingDevices')}
    </p>`
  }
  return html`<form part="form" novalidate @submit=${events.onRelease}>
    <fieldset aria-describedby="hint">
      <legend class="unseen">${translator.text('deviceList')}</legend>
      <div class="devices" part="devices">
        ${list.devices.map((device) => deviceTemplate(device, device.id === chosenId, translator, events))}
      </div>
      <div id="hint">${error === null ? nothing : errorTemplate(error)}</div>
    </fieldset>
    ${submitTemplate(translator.text('release'), scene)}
  </form>`
}

function deviceTemplate(
  device: Device,
  isChosen: boolean,
  translator: Translator,
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
      <small>${device.activatedAt && translator.text('activatedOn', { date: translator.date(device.activatedAt) })}</small>
    </span>
    ${device.isThisDevice ? html`<em part="this-device">${translator.text('thisDevice')}</em>` : nothing}
  </label>`
}
