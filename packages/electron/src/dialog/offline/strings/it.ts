import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Attiva senza internet',
  lead: 'Serve un altro dispositivo con internet, per esempio un telefono.',
  requestHeading: 'Inquadra questo codice con un telefono',
  requestLead: 'Oppure salva la richiesta e apri questo indirizzo su un dispositivo con internet.',
  fileHeading: 'Apri questa richiesta su un altro dispositivo',
  fileLead: 'Salva la richiesta e apri questo indirizzo su un dispositivo con internet.',
  code: 'La richiesta come codice QR',
  address: 'Indirizzo',
  request: 'Richiesta',
  saveFile: 'Salva come file',
  copyText: 'Copia come testo',
  enterAnswer: 'Inserisci risposta',
  answerHeading: 'Inserisci la risposta',
  answerLead: 'Scegli il file della pagina di attivazione, trascinalo qui o incolla il testo.',
  answer: 'Risposta',
  chooseFile: 'Scegli file',
  showRequest: 'Mostra richiesta',
  activeUntil: 'Attiva senza internet fino al {date}.',
  licenseEnds: 'Licenza valida fino al',
  endsSoon:
    'L’attivazione senza internet termina il {date}.\nPer rinnovarla, connettiti una volta a internet o attiva di nuovo senza internet.',
  releaseHeading: 'Libera il posto di questo dispositivo',
  releaseLead:
    'Questo dispositivo è disattivato.\nPer liberare il suo posto, apri questo codice di rilascio su un dispositivo con internet.',
  releaseCode: 'Codice di rilascio',
  showRelease: 'Mostra codice di rilascio',
  problems: {
    'no-offline-answer':
      'Questa non è una risposta della pagina di attivazione. Scegli il file che hai ricevuto o copia tutto il testo.',
    'offline-answer-too-long':
      'Questo file è troppo grande per essere una risposta. Scegli quello della pagina di attivazione.',
    'offline-request-as-answer':
      'Questa è la richiesta di un computer. Aprila nella pagina di attivazione e porta qui la risposta.',
    'online-lease-as-answer':
      'Questo è stato emesso per un computer con internet. Crea qui una richiesta e porta la risposta.',
    'offline-answer-torn':
      'Manca una parte della risposta. Copia tutto il testo o scegli il file della pagina di attivazione.',
    'offline-answer-edited':
      'La risposta è stata modificata lungo il percorso. Riapri la richiesta nella pagina di attivazione e porta il file così com’è.',
    'offline-answer-unknown-key':
      'L’app non riconosce la firma della risposta. Aggiorna l’app o contatta l’assistenza.',
    'offline-answer-newer': 'La risposta è per una versione più recente di questa app. Aggiorna l’app.',
    'offline-answer-other-app':
      'Questa risposta è per un’altra app. Apri la richiesta di questa app nella pagina di attivazione.',
    'offline-answer-other-device':
      'Questa risposta è per un altro computer. Crea qui una richiesta e aprila nella pagina di attivazione.',
    'offline-answer-other-request':
      'Questa risposta è per una richiesta precedente. Creane qui una nuova e aprila nella pagina di attivazione.',
    'offline-answer-used':
      'Questa risposta è già stata usata su questo computer. Per rinnovare l’attivazione, crea una nuova richiesta.',
    'offline-answer-expired':
      'Questa risposta è scaduta. Controlla la data di questo computer, poi crea una nuova richiesta.',
  },
}
