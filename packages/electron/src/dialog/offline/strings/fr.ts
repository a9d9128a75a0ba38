import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Activer sans Internet',
  lead: 'Il vous faut un autre appareil connecté à Internet, par exemple un téléphone.',
  requestHeading: 'Scannez ce code avec un téléphone',
  requestLead: 'Ou enregistrez la demande et ouvrez l’adresse ci-dessous sur un appareil connecté.',
  fileHeading: 'Ouvrez cette demande sur un autre appareil',
  fileLead: 'Enregistrez la demande et ouvrez l’adresse ci-dessous sur un appareil connecté.',
  code: 'La demande sous forme de code QR',
  address: 'Adresse',
  request: 'Demande',
  saveFile: 'Enregistrer le fichier',
  copyText: 'Copier le texte',
  enterAnswer: 'Saisir la réponse',
  answerHeading: 'Saisissez la réponse',
  answerLead: 'Choisissez le fichier de la page d’activation, déposez-le ici ou collez son texte.',
  answer: 'Réponse',
  chooseFile: 'Choisir un fichier',
  showRequest: 'Revoir la demande',
  activeUntil: 'Activé sans Internet jusqu’au {date}.',
  licenseEnds: 'Licence valable jusqu’au',
  endsSoon:
    'L’activation sans Internet se termine le {date}.\nPour la renouveler, connectez-vous une fois à Internet ou activez à nouveau sans Internet.',
  releaseHeading: 'Libérez la place de cet appareil',
  releaseLead:
    'Cet appareil est désactivé.\nPour libérer sa place, ouvrez ce code de libération sur un appareil connecté.',
  releaseCode: 'Code de libération',
  showRelease: 'Afficher le code de libération',
  problems: {
    'no-offline-answer':
      'Ceci n’est pas une réponse de la page d’activation. Choisissez le fichier qu’elle vous a donné ou copiez tout son texte.',
    'offline-answer-too-long':
      'Ce fichier est trop volumineux pour être une réponse. Choisissez celui de la page d’activation.',
    'offline-request-as-answer':
      'Ceci est la demande d’un ordinateur. Ouvrez-la sur la page d’activation et rapportez sa réponse.',
    'online-lease-as-answer':
      'Ceci a été délivré à un ordinateur connecté à Internet. Créez une demande ici et rapportez la réponse.',
    'offline-answer-torn':
      'Une partie de la réponse manque. Copiez tout son texte ou choisissez le fichier de la page d’activation.',
    'offline-answer-edited':
      'La réponse a été modifiée en chemin. Ouvrez à nouveau la demande sur la page d’activation et rapportez le fichier tel quel.',
    'offline-answer-unknown-key':
      'Cette application ne reconnaît pas la signature de la réponse. Mettez l’application à jour ou contactez l’assistance.',
    'offline-answer-newer':
      'La réponse est destinée à une version plus récente de cette application. Mettez-la à jour.',
    'offline-answer-other-app':
      'Cette réponse est destinée à une autre application. Ouvrez la demande de celle-ci sur la page d’activation.',
    'offline-answer-other-device':
      'Cette réponse est destinée à un autre ordinateur. Créez une demande ici et ouvrez-la sur la page d’activation.',
    'offline-answer-other-request':
      'Cette réponse correspond à une demande antérieure. Créez-en une nouvelle ici et ouvrez-la sur la page d’activation.',
    'offline-answer-used':
      'Cette réponse a déjà servi sur cet ordinateur. Pour renouveler l’activation, créez une nouvelle demande.',
    'offline-answer-expired':
      'Cette réponse a expiré. Vérifiez la date de cet ordinateur, puis créez une nouvelle demande.',
  },
}
