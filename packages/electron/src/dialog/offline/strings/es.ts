import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Activar sin internet',
  lead: 'Necesitas otro dispositivo con internet, por ejemplo un teléfono.',
  requestHeading: 'Escanea este código con un teléfono',
  requestLead: 'O guarda la solicitud y abre esta dirección en un dispositivo con internet.',
  fileHeading: 'Abre esta solicitud en otro dispositivo',
  fileLead: 'Guarda la solicitud y abre esta dirección en un dispositivo con internet.',
  code: 'La solicitud como código QR',
  address: 'Dirección',
  request: 'Solicitud',
  saveFile: 'Guardar como archivo',
  copyText: 'Copiar como texto',
  enterAnswer: 'Introducir respuesta',
  answerHeading: 'Introduce la respuesta',
  answerLead: 'Elige el archivo de la página de activación, suéltalo aquí o pega su texto.',
  answer: 'Respuesta',
  chooseFile: 'Elegir archivo',
  showRequest: 'Ver la solicitud',
  activeUntil: 'Activado sin internet hasta el {date}.',
  licenseEnds: 'Licencia válida hasta',
  endsSoon:
    'La activación sin internet termina el {date}.\nPara renovarla, conéctate una vez a internet o activa de nuevo sin internet.',
  releaseHeading: 'Libera la plaza de este dispositivo',
  releaseLead:
    'Este dispositivo está desactivado.\nPara liberar su plaza, abre este código de liberación en un dispositivo con internet.',
  releaseCode: 'Código de liberación',
  showRelease: 'Ver el código de liberación',
  problems: {
    'no-offline-answer':
      'Esto no es una respuesta de la página de activación. Elige el archivo que te dio o copia todo su texto.',
    'offline-answer-too-long':
      'Este archivo es demasiado grande para ser una respuesta. Elige el que te dio la página de activación.',
    'offline-request-as-answer':
      'Esta es la solicitud de un equipo. Ábrela en la página de activación y trae la respuesta.',
    'online-lease-as-answer':
      'Esto se emitió para un equipo con internet. Crea una solicitud aquí y trae la respuesta.',
    'offline-answer-torn':
      'Falta una parte de la respuesta. Copia todo su texto o elige el archivo de la página de activación.',
    'offline-answer-edited':
      'La respuesta cambió por el camino. Abre de nuevo la solicitud en la página de activación y trae el archivo sin cambios.',
    'offline-answer-unknown-key':
      'Esta aplicación no reconoce la firma de la respuesta. Actualiza la aplicación o ponte en contacto con soporte.',
    'offline-answer-newer': 'La respuesta es para una versión más reciente de esta aplicación. Actualízala.',
    'offline-answer-other-app':
      'Esta respuesta es para otra aplicación. Abre la solicitud de esta aplicación en la página de activación.',
    'offline-answer-other-device':
      'Esta respuesta es para otro equipo. Crea una solicitud aquí y ábrela en la página de activación.',
    'offline-answer-other-request':
      'Esta respuesta es de una solicitud anterior. Crea una nueva aquí y ábrela en la página de activación.',
    'offline-answer-used':
      'Esta respuesta ya se usó en este equipo. Para renovar la activación, crea una nueva solicitud.',
    'offline-answer-expired':
      'Esta respuesta ha caducado. Comprueba la fecha de este equipo y crea una nueva solicitud.',
  },
}
