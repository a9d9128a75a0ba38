import { html, nothing, type TemplateResult } from 'lit'
import type { Device } from '../../shared/results.ts'
import type { Phrasebook } from '../phrasebook.ts'
import type { DeviceList } from '../situation.ts'
import { icon } from './icons.ts'
import { submitTemplate } from './submit-template.ts'

/** What the device list shows beside the devices. */
export interface DevicesModel {
  readonly list: DeviceList
  readonly chosenId: string | null
  readonly isChecking: boolean
  /** Sentence about the choice or the release; `null` when there is nothing wrong with it. */
  readonly error: string | null
}

/** What the device list tells the element. */
export interface DevicesEvents {
  readonly onChoose: (deviceId: string) => void
  readonly onRelease: (event: SubmitEvent) => void
  readonly onReload: () => void
}

/** The devices of a license, one of which can be chosen and released. */
export function devicesTemplate(
  { list, chosenId, isChecking, error }: DevicesModel,
  phrases: Phrasebook,
  events: DevicesEvents,
): TemplateResult {
  switch (list.phase) {
    case 'loading':
      return html`<p class="status" part="status">
        <span class="spinner" part="spinner"></span> ${phrases.text('loadingDevices')}
      </p>`
    case 'failed':
      return html`<p class="status" part="status">
          ${phrases.text('devicesUnavailable')} ${phrases.problem(list.trouble.code)}
        </p>
        <div class="buttons">
          <button class="primary" part="button primary-button" type="button" @click=${events.onReload}>
            ${phrases.text('tryNow')}
          </button>
        </div>`
    case 'ready':
      return html`<form part="form" novalidate @submit=${events.onRelease}>
        <fieldset aria-describedby="hint">
          <legend class="unseen">${phrases.text('deviceList')}</legend>
          <div class="devices" part="devices">
            ${list.devices.map((device) => deviceTemplate(device, device.id === chosenId, phrases, events))}
          </div>
          <div id="hint">
            ${
              error === null
                ? nothing
                : html`<p class="hint error" part="error">${icon('error')}<span>${error}</span></p>`
            }
          </div>
        </fieldset>
        ${submitTemplate(phrases.text('release'), isChecking, phrases)}
      </form>`
  }
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
      <strong>${device.label}</strong>
      <small>${phrases.text('activatedOn', { date: phrases.date(device.activatedAt) })}</small>
    </span>
    ${device.isThisDevice ? html`<em part="this-device">${phrases.text('thisDevice')}</em>` : nothing}
  </label>`
}
