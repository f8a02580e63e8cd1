"""Bond orders of molecules of RDKit, and pictures of them.

    >>> from rdkit import Chem                                                               # doctest: +SKIP
    >>> matchcount.molecules.bond_orders(Chem.MolFromSmiles("c1ccc2ccccc2c1"))               # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module

from ._distributions import marginals
from ._errors import Unable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def bond_orders(molecule: Any) -> list[float]:
    """Finds Pauling's bond orders, by RDKit's numbers of bonds.

    Parameters
    ----------
    molecule : rdkit.Chem.Mol

    Returns
    -------
    list of float
        1 and the share of the Kekule structures in which the bond is double, of a triple bond 2 and the share that its
        second double bond has; of bonds that are in no such system their order as it is drawn.

    References
    ----------
    L. Pauling, L. O. Brockway, J. Y. Beach, "The dependence of interatomic distance on single bond-double bond
    resonance", 1935, doi:10.1021/ja01315a063.
    """
    Chem: Any = import_module("rdkit.Chem")
    drawn = Chem.Mol(molecule)
    Chem.Kekulize(drawn, clearAromaticFlags=True)
    shares = marginals(drawn)
    if shares.certificate:
        raise Unable("the molecule has no Kekule structure")
    orders = []
    for bond in drawn.GetBonds():
        ends = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        share = shares.get(ends, shares.get(ends[::-1]))
        drawn_as = bond.GetBondTypeAsDouble()
        orders.append(drawn_as if share is None else max(1.0, drawn_as - 1) + float(share))
    return orders


def svg(molecule: Any, width: int = 500, height: int = 400) -> str:
    """Draws the molecule by RDKit as SVG, each bond with its order, coloured by it where structures differ.

    Parameters
    ----------
    molecule : rdkit.Chem.Mol
    width, height : int
        In pixels.
    """
    Chem: Any = import_module("rdkit.Chem")
    tools: Any = import_module("rdkit.Chem.Draw.rdMolDraw2D")
    orders = bond_orders(molecule)
    drawn = Chem.Mol(molecule)
    Chem.Kekulize(drawn, clearAromaticFlags=True)
    if not drawn.GetNumConformers():
        import_module("rdkit.Chem.rdDepictor").Compute2DCoords(drawn)
    colours = {}
    for bond, order in zip(drawn.GetBonds(), orders):
        if order != int(order):
            bond.SetProp("bondNote", f"{order:.2f}")
            bond.SetBondType(Chem.BondType.SINGLE)
            colours[bond.GetIdx()] = (1 - 0.75 * (order - 1), 1 - 0.4 * (order - 1), 0.95)
    canvas = tools.MolDraw2DSVG(width, height)
    canvas.drawOptions().prepareMolsBeforeDrawing = False
    canvas.DrawMolecule(drawn, highlightAtoms=[], highlightBonds=list(colours), highlightBondColors=colours)
    canvas.FinishDrawing()
    return str(canvas.GetDrawingText())
