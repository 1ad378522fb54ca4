/// What a part wants. What follows from one want comes before the next.
package enum Want: Sendable {
  /// To be done outside.
  case perform(Action)
  case log(RunSettings.LogLevel, String)
  /// - Parameter isReported: operators see it with the next request, when it begins and then once a day.
  case warn(WarningName, String, times: Int = 1, isReported: Bool = true)
  /// All parts are to hear it.
  case tell(News)
  /// Records to storage. - Parameter hasState: with the state and the open fixes of all parts.
  indirect case commit(Commit, hasState: Bool)
  /// The process is to end in order.
  case stop

  /// With the last known place.
  package static func record(_ content: Record.Content, dated: RecordTime? = nil) -> Want {
    .tell(.record(content, .last, dated: dated))
  }

  /// What is saved has changed.
  package static var save: Want { .tell(.saveWanted(atOnce: false)) }
  /// The power may go at any moment: everything to storage.
  package static var saveAtOnce: Want { .tell(.saveWanted(atOnce: true)) }
  /// Operators should see it with the next request.
  package static var report: Want { .tell(.statusWanted(atOnce: false)) }
  /// With a request of its own.
  package static var reportAtOnce: Want { .tell(.statusWanted(atOnce: true)) }
}

/// What the parts tell each other.
package enum News: Sendable {
  // MARK: The process

  /// What storage held, at the start of the process.
  indirect case restored(Found)
  /// The process, or other settings, begin to rule: each part knows where it is.
  case begun
  /// An event and all that follows from it has been told: whatever has changed.
  case settled
  /// The last commit follows.
  case ending
  /// It is on its way.
  case ended

  // MARK: The receiver's

  /// Where the vehicle is, inside a window. - Parameter after: what came in place of fixes before it, if anything.
  case fix(Fix, after: NoTrackCause?)
  /// Where the vehicle is while no window is open: it is not followed.
  case fixOutside(Fix)
  /// What came after this fix reported a place where the vehicle was not.
  case forget(after: Fix)
  /// The place that was believed so far was wrong.
  case placeWasWrong
  /// What was seen by the old time and what is seen now have no distance in time.
  case timeJumped
  case timeBecameKnown
  /// The window is closed, as it may have been before.
  case noWindow(TripSummary.EndCause)
  case windowOpened
  /// Nothing is to be followed from here on.
  case watchEnded(TripSummary.EndCause)
  /// After `watchEnded`.
  case windowClosed
  case sessionBegan
  /// The GPS is to have power as it is wanted now.
  case gpsConsidered

  // MARK: The journey's

  /// But for its number.
  indirect case recorded(Record)
  /// A fix belongs to the track, by its GPS time. - Parameter after: as of `fix`.
  case followed(Int64, after: NoTrackCause?)

  // MARK: Of several

  /// To the journey: it knows trip, odometer and place.
  indirect case record(Record.Content, RecordPlace, dated: RecordTime?)
  case saveWanted(atOnce: Bool)
  case statusWanted(atOnce: Bool)
  /// A pause after failures must not miss what begins.
  case lookAtOnce
  /// What is no line says that a parked vehicle is in use.
  case signOfLife(DepartureCause)
  /// Pauses are to be longer, or as set again: `Facts.lowFactor`, `Facts.isRoaming`.
  case paceChanged
  /// An operator's wish, by way of a server.
  case intentAsked(IntentWish)
  /// Pause, track or safe mode have begun or ended.
  case wishesChanged
  /// All records to all servers, and their wishes. - Parameter withStatus: each is asked, also where nothing waits for it.
  case syncAsked(withStatus: Bool)

  // MARK: The dispatch's

  /// The commit is on storage.
  case stored
  /// A request to the first server with the status begins.
  case statusSent
  /// It has ended.
  case statusEnded(UploadReply.Verdict)
  /// The first server has replied.
  indirect case replied(UploadReply)
  /// Positions were dropped from memory while storage failed.
  case lostTrack(TrackGap)
  /// The next status is shorter than the one that the first server has refused.
  case statusShortened

  // MARK: The server's wishes

  /// What a broker has brought may be known by now.
  case confirmationWanted

  // MARK: The board's

  case sleepAnnounced
  /// What waits for its number or its age goes to the servers now.
  case drain
  /// It was suspended, and is no longer.
  case resumed
  /// For so long, up to that date in Unix milliseconds.
  case slept(Int64, until_ms: Int64)
}

/// Where a record was made.
package enum RecordPlace: Equatable, Sendable {
  case none
  case fix(Fix)
  /// Where the vehicle was last. Before it was anywhere: none, and no record where no server takes one without.
  case last
  /// The same, and a record in any case.
  case lastOrNone
}
