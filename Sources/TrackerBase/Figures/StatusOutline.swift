/// All figures that a group can have, as they are declared, without a value.
public struct StatusOutline: StatusVisitor {
  public struct FigureNode: Sendable {
    public var key: String
    public var kind: FigureKind
    public var type: FigureType
    public var doc: String
    public var notes: FigureNotes
  }

  public struct GroupNode: Sendable {
    public var key: String
    public var form: GroupForm
    public var doc: String
    public var nodes: [Node]
  }

  public indirect enum Node: Sendable {
    case figure(FigureNode)
    case group(GroupNode)
  }

  public private(set) var nodes: [Node] = []

  public init(of group: some StatusGroup) { group.visit(with: &self) }

  public mutating func visit<Value>(_ figure: Figure<Value>) {
    nodes.append(
      .figure(
        FigureNode(
          key: figure.key.description, kind: figure.kind,
          type: Value.figureType.without(figure.absent?.figureContent),
          doc: figure.doc.description, notes: figure.notes)))
  }

  public mutating func visit<Value>(_ group: FigureGroup<Value>) {
    nodes.append(
      .group(
        GroupNode(
          key: group.key.description, form: group.form, doc: group.doc.description,
          nodes: StatusOutline(of: Value.Member()).nodes)))
  }
}
